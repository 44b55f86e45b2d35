import type { Contract, Operation } from '../contract.js';
import { samplesOf } from '../samples/samples.js';
import type { DocumentLinks } from './links.js';
import { type DocumentedOperation, rawOperation } from './nodes.js';
import { OperationWriter } from './operation-writer.js';
import { blocks, code, documentOf, fenced, item, section } from './text.js';

/** Describes one operation: everything that is needed to call it. */
export function operationText(contract: Contract, operation: Operation, links: DocumentLinks): string {
  const raw = rawOperation(contract, operation);
  const [tag] = raw.tags;
  const writer = new OperationWriter(contract, links);
  const sample = samplesOf(contract, operation).find(({ label }) => label === 'curl');
  return documentOf(
    `# ${raw.summary}`,
    fenced('http', `${operation.method} ${links.base}${operation.path}`),
    `Operation ${code(operation.id)} of [${tag}](${links.guide(tag)}).`,
    raw.deprecated === true ? `**Deprecated** since ${raw['x-deprecated-since']}.` : '',
    links.relink(raw.description ?? ''),
    section('## Authorization', authorization(contract, operation, links)),
    writer.parameters({
      ...raw,
      parameters: [...shared(contract, operation), ...(raw.parameters ?? [])],
    }),
    writer.body(raw),
    section('## Sample', sample === undefined ? '' : fenced(sample.language, sample.source)),
    writer.successes(raw),
    writer.errors(raw),
    writer.schemas(),
  );
}

/** Describes a request that the server sends. */
export function webhookText(contract: Contract, raw: DocumentedOperation, links: DocumentLinks): string {
  const writer = new OperationWriter(contract, links);
  return documentOf(
    `# ${raw.summary}`,
    'A request that the server sends to the URL of a webhook endpoint with the method POST.',
    links.relink(raw.description ?? ''),
    writer.parameters(raw),
    writer.body(raw),
    writer.successes(raw),
    writer.schemas(),
  );
}

function shared({ document }: Contract, { path }: Operation): readonly unknown[] {
  return (document.paths[path]?.parameters ?? []) as readonly unknown[];
}

function authorization({ scopes: texts }: Contract, { scopes }: Operation, links: DocumentLinks): string {
  if (scopes === null) return 'None. The operation has no bearer token.';
  const needed = scopes.map((scope) => item(`${code(scope)}: ${texts[scope]}`)).join('\n');
  return blocks(
    `\`Authorization: Bearer\` with an access token. See [Authentication](${links.guide('Authentication')}).`,
    needed === '' ? '' : `Scopes:\n\n${needed}`,
  );
}
