import { STATUS_CODES } from 'node:http';
import { type Contract, resolve } from '../../../platform/contract/contract.js';
import type { DocumentedOperation, DocumentedResponse, Example } from '../reference/nodes.js';

/** The examples of successful responses. Those of errors are in the catalogue of errors. */
export function responsesOf({ document }: Contract, { responses }: DocumentedOperation): object[] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, given]) => {
      const { content = {} } = resolve<DocumentedResponse>(document, given);
      return Object.entries(content).flatMap(([mediaType, { examples = {} }]) =>
        Object.entries(examples).map(([name, example]) => {
          const { summary = name, value } = resolve<Example>(document, example);
          return {
            name: summary,
            status: STATUS_CODES[status],
            code: Number(status),
            header: [{ key: 'Content-Type', value: mediaType }],
            body: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
            ...(mediaType === 'application/json' && { _postman_previewlanguage: 'json' }),
          };
        }),
      );
    });
}
