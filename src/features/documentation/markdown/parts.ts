import type { DescribedContent, Description } from '../reference/description.js';
import type { DocumentLinks } from '../reference/links.js';
import { blocks, code, fenced, item, section } from '../reference/text.js';

export function parameterTexts({ parameters }: Description): string {
  const items = parameters.map(({ name, place, type, required, text, example }) => {
    const shown = example === undefined ? '' : ` Example: ${code(example)}.`;
    return item(`${code(name)} (${place}; ${type}; ${presence(required)}): ${text}${shown}`);
  });
  return section('## Parameters', items.join('\n'));
}

export function bodyText({ body }: Description): string {
  if (body === undefined) return '';
  const stated = body.required ? 'Required.' : 'Optional.';
  return section('## Request body', `${stated} ${body.text}`.trim(), ...body.contents.map(contentText));
}

export function responseTexts({ successes }: Description): string {
  return blocks(
    ...successes.map(({ status, text, headers, contents }) => {
      const items = headers.map(({ name, type, text }) => item(`${code(name)} (${type}): ${text}`));
      const listed = items.length === 0 ? '' : `Headers:\n\n${items.join('\n')}`;
      return section(`## Response ${status}`, text, listed, ...contents.map(contentText));
    }),
  );
}

export function errorTexts({ errors }: Description, links: DocumentLinks): string {
  const items = errors.map(({ status, text, codes }) => {
    const linked = codes.map((name) => `[${code(name)}](${links.error(name)})`).join(', ');
    return item(`**${status}**: ${text}${linked === '' ? '' : ` Codes: ${linked}.`}`);
  });
  const catalogue = `All codes are in the [error catalogue](${links.base}/docs/errors.md).`;
  return section('## Errors', items.join('\n'), items.length === 0 ? '' : catalogue);
}

export function schemaTexts({ schemas }: Description): string {
  const sections = schemas.map(({ name, text, type, members }) => {
    const items = members.map(({ name, type, required, text }) =>
      item(`${code(name)} (${type}; ${presence(required)})${text === '' ? '' : `: ${text}`}`),
    );
    return blocks(`### ${name}`, text, type === '' ? '' : `Type: ${type}.`, items.join('\n'));
  });
  return section('## Schemas', ...sections);
}

function contentText({ mediaType, type, examples }: DescribedContent): string {
  const language = mediaType === 'application/json' ? 'json' : '';
  return blocks(
    `Media type ${code(mediaType)}: ${type}.`,
    ...examples.map(({ title, source }) => blocks(`${title}:`, fenced(language, source))),
  );
}

function presence(required: boolean): string {
  return required ? 'required' : 'optional';
}
