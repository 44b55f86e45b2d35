import type { Contract, Operation } from '../../../src/platform/contract/contract.js';
import { describeOperation, describeWebhook } from '../reference/describer.js';
import {
  blocks,
  code,
  type DescribedContent,
  type Description,
  documentOf,
  fenced,
  item,
  section,
} from '../reference/description.js';
import type { DocumentLinks } from '../reference/links.js';
import { neededScopes } from '../reference/needed-scopes.js';
import type { DocumentedOperation } from '../reference/nodes.js';
import { samplesOf } from '../samples/samples.js';

function parameterTexts({ parameters }: Description): string {
  const items = parameters.map(({ name, place, type, required, text, example }) => {
    const shown = example === undefined ? '' : ` Example: ${code(example)}.`;
    return item(`${code(name)} (${place}; ${type}; ${presence(required)}): ${text}${shown}`);
  });
  return section('## Parameters', items.join('\n'));
}

function bodyText({ body }: Description): string {
  if (body === undefined) return '';
  const stated = body.required ? 'Required.' : 'Optional.';
  return section('## Request body', `${stated} ${body.text}`.trim(), ...body.contents.map(contentText));
}

function responseTexts({ successes }: Description): string {
  return blocks(
    ...successes.map(({ status, text, headers, contents }) => {
      const items = headers.map(({ name, type, text }) => item(`${code(name)} (${type}): ${text}`));
      const listed = items.length === 0 ? '' : `Headers:\n\n${items.join('\n')}`;
      return section(`## Response ${status}`, text, listed, ...contents.map(contentText));
    }),
  );
}

function errorTexts({ errors }: Description, links: DocumentLinks): string {
  const items = errors.map(({ status, text, codes }) => {
    const linked = codes.map((name) => `[${code(name)}](${links.error(name)})`).join(', ');
    return item(`**${status}**: ${text}${linked === '' ? '' : ` Codes: ${linked}.`}`);
  });
  const catalogue = `All codes are in the [error catalogue](${links.base}/docs/errors.md).`;
  return section('## Errors', items.join('\n'), items.length === 0 ? '' : catalogue);
}

function schemaTexts({ schemas }: Description): string {
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

/** Describes how to call one operation. */
export function operationText(contract: Contract, operation: Operation, links: DocumentLinks): string {
  const description = describeOperation(contract, operation, links);
  const { chapter, deprecatedSince } = description;
  const sample = samplesOf(contract, operation).find(({ label }) => label === 'curl');
  return documentOf(
    `# ${description.title}`,
    fenced('http', `${operation.method} ${links.base}${operation.path}`),
    `Operation ${code(operation.id)} of [${chapter}](${links.guide(chapter)}).`,
    deprecatedSince === undefined ? '' : `**Deprecated** since ${deprecatedSince}.`,
    description.text,
    section('## Authorization', authorization(contract, operation, links)),
    parameterTexts(description),
    bodyText(description),
    section('## Sample', sample === undefined ? '' : fenced(sample.language, sample.source)),
    responseTexts(description),
    errorTexts(description, links),
    schemaTexts(description),
  );
}

/** Describes a request that the server sends. */
export function webhookText(contract: Contract, webhook: DocumentedOperation, links: DocumentLinks): string {
  const description = describeWebhook(contract, webhook, links);
  return documentOf(
    `# ${description.title}`,
    'A request that the server sends to the URL of a webhook endpoint with the method POST.',
    description.text,
    parameterTexts(description),
    bodyText(description),
    responseTexts(description),
    schemaTexts(description),
  );
}

function authorization({ scopes: texts }: Contract, operation: Operation, links: DocumentLinks): string {
  if (operation.scopes === null) return 'None. The operation has no bearer token.';
  const { title, lines } = neededScopes(operation);
  const needed = lines.map((line) => item(line.map((scope) => `${code(scope)}: ${texts[scope]}`).join('; ')));
  return blocks(
    `\`Authorization: Bearer\` with an access token. See [Authentication](${links.guide('Authentication')}).`,
    needed.length === 0 ? '' : `${title}:\n\n${needed.join('\n')}`,
  );
}
