import { isRequired } from '../../../../src/platform/contract/contract.js';
import { isObjectParameter } from '../../../../src/platform/contract/object-parameters.js';
import { type FuzzedOperation, type Parameter, readOperations } from '../../../support/fuzz/operations.js';
import { type SchemaValues, schemaValues } from '../../../support/fuzz/schema-values.js';
import { createRandom, type Random } from '../../../support/input/random.js';
import type { ProxiedRequest } from './proxy.js';
import type { PrismWorld } from './world.js';

/** Characters that a header can carry. */
const headerText = /^[!-~][ -~]*$/;

/** Generates requests from the parameters and the body schemas of the contract. Equal seeds generate equal requests. */
export class RandomRequests {
  readonly #world: PrismWorld;
  readonly #random: Random;
  readonly #values: SchemaValues;
  /** Every operation of the contract. */
  readonly operations: readonly FuzzedOperation[];

  constructor(world: PrismWorld, seed: number) {
    const { operations, resolve } = readOperations();
    this.#world = world;
    this.#random = createRandom(seed);
    this.#values = schemaValues({ resolve, random: this.#random });
    this.operations = operations;
  }

  /** A request in which every value matches its schema; a changed request also has values that do not. */
  next(
    operation: FuzzedOperation,
    ids: Readonly<Record<string, readonly string[]>>,
    changed: boolean,
  ): ProxiedRequest {
    const { id, method, parameters, scopes, body } = operation;
    const headers: Record<string, string> = {};
    if (scopes !== null) headers.authorization = `Bearer ${this.#world.tokens.user}`;
    for (const { name, value } of this.#choose(parameters, 'header', changed)) {
      if (headerText.test(value)) headers[name] = value;
    }
    const query = this.#choose(parameters, 'query', changed).map(
      ({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
    );
    const target = operation.path.replace(/\{(\w+)\}/, (_, name: string) =>
      this.#random.pick(ids[name] ?? ['unknown']),
    );
    const request = {
      label: `${changed ? 'changed' : 'fitting'} ${id}`,
      method,
      path: query.length === 0 ? target : `${target}?${query.join('&')}`,
      headers,
    };
    if (body === undefined) return request;
    headers['content-type'] = body.mediaType;
    const fitting = this.#values.valid(body.schema);
    if (body.mediaType !== 'application/json') {
      return { ...request, body: this.#form(fitting as Record<string, string>, changed) };
    }
    // Prism forwards false, 0, null and '' without a body, and the server waits for it.
    const value = (changed && this.#values.mutated(fitting)) || fitting;
    return { ...request, body: JSON.stringify(value) };
  }

  #choose(parameters: readonly Parameter[], place: Parameter['in'], changed: boolean) {
    // The members of an object depend on the account.
    const simple = parameters.filter((parameter) => parameter.in === place && !isObjectParameter(parameter));
    return simple
      .filter((parameter) => isRequired(parameter) || this.#random.chance(0.35))
      .map(({ name, schema }) => {
        const fitting = this.#values.valid(schema);
        const value = changed && this.#random.chance(0.4) ? this.#values.mutated(fitting) : fitting;
        return {
          name,
          value: (typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed(),
        };
      });
  }

  #form(fitting: Record<string, string>, changed: boolean): string {
    const { clientId, clientSecret } = this.#world.confidential;
    const form = new URLSearchParams({ ...fitting, client_id: clientId, client_secret: clientSecret });
    const grants = ['client_credentials', 'refresh_token', 'authorization_code'];
    if (form.has('grant_type')) form.set('grant_type', this.#random.pick(grants));
    if (changed) form.delete(this.#random.pick([...form.keys()]));
    return form.toString();
  }
}
