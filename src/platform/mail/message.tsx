import { renderToString } from 'preact-render-to-string';

/** The text of a mail: paragraphs, and at most one link between them. */
export interface MailText {
  readonly subject: string;
  readonly before: readonly string[];
  readonly link?: { readonly label: string; readonly url: string };
  readonly after: readonly string[];
}

/** A mail to one address, as plain text and as HTML. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Writes the same text as plain text and as HTML. The renderer escapes all text. */
export function composeMail(to: string, mail: MailText): MailMessage {
  const { subject, before, link, after } = mail;
  const paragraphs = [...before, ...(link === undefined ? [] : [`${link.label}:\n${link.url}`]), ...after];
  return {
    to,
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    html: `<!doctype html>${renderToString(<Body {...mail} />)}`,
  };
}

function Body({ subject, before, link, after }: MailText) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{subject}</title>
      </head>
      <body>
        {before.map((text) => (
          <p key={text}>{text}</p>
        ))}
        {link !== undefined && (
          <p>
            <a href={link.url}>{link.label}</a>
          </p>
        )}
        {after.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </body>
    </html>
  );
}
