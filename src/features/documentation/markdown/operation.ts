import type { Contract, Operation } from '../../../platform/contract/contract.js';
import { describeOperation, describeWebhook } from '../reference/describer.js';
import type { DocumentLinks } from '../reference/links.js';
import type { DocumentedOperation } from '../reference/nodes.js';
import { blocks, code, documentOf, fenced, item, section } from '../reference/text.js';
import { samplesOf } from '../samples/samples.js';
import { bodyText, errorTexts, parameterTexts, responseTexts, schemaTexts } from './parts.js';

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

function authorization({ scopes: texts }: Contract, { scopes }: Operation, links: DocumentLinks): string {
  if (scopes === null) return 'None. The operation has no bearer token.';
  const needed = scopes.map((scope) => item(`${code(scope)}: ${texts[scope]}`)).join('\n');
  return blocks(
    `\`Authorization: Bearer\` with an access token. See [Authentication](${links.guide('Authentication')}).`,
    needed === '' ? '' : `Scopes:\n\n${needed}`,
  );
}
