import { Copyable } from '../../../platform/pages/copyable.js';
import type { PageView } from '../../../platform/pages/page-context.js';

/** The only page that shows a one-time link, when no mail is sent. */
export function linkPage({
  title,
  email,
  url,
  lifetime,
  back,
}: {
  title: string;
  /** Address of the person that the link is for. */
  email: string;
  url: string;
  lifetime: string;
  back: string;
}): PageView {
  return {
    title,
    script: 'copy.js',
    body: (
      <>
        <div class="warning">
          <p>
            <strong>Copy the link now. You won't be able to see it again.</strong> Send it to {email}, and to
            no other person: everyone who has it can use it. It can be used once, within {lifetime}.
          </p>
        </div>
        <Copyable id="link" label="Link" value={url} />
        <p id="copied" role="status" class="hint" />
        <p class="actions">
          <a class="button" href={back}>
            I have sent the link
          </a>
        </p>
      </>
    ),
  };
}
