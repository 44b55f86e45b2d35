import { contract } from '../../../support/server/app.js';
import type { PrismProxy, ProxiedRequest, ProxiedResponse } from './proxy.js';

export interface Exchange {
  readonly request: ProxiedRequest;
  readonly response: ProxiedResponse;
  /** `undefined` when the contract has no such operation. */
  readonly operation: string | undefined;
}

/** Sends requests through Prism and keeps every exchange. */
export interface Recorder {
  readonly exchanges: readonly Exchange[];
  send(request: ProxiedRequest): Promise<ProxiedResponse>;
}

export function createRecorder(prism: PrismProxy): Recorder {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    async send(request) {
      const response = await prism.send(request);
      exchanges.push({ request, response, operation: operationOf(request) });
      return response;
    },
  };
}

function operationOf({ method, path }: ProxiedRequest): string | undefined {
  const [pathname = ''] = path.split('?');
  const matching = [...contract.operations.values()].find(
    (operation) => operation.method === method && templatePattern(operation.path).test(pathname),
  );
  return matching?.id;
}

function templatePattern(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '[.]').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
