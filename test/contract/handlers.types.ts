/**
 * Handlers that the compiler must reject. Each `@ts-expect-error` is a test: if the line below it compiles, `tsc --noEmit`
 * fails.
 */
import type { components } from '../../src/platform/contract/generated.js';
import type { Handlers, Input, Output } from '../../src/platform/http/binding/handlers.js';

type ListOutput = Output<'listEmployees'>;
type GetOutput = Output<'getEmployee'>;
type TokenOutput = Output<'createToken'>;

const address = 'http://api.test/v1/employees';
const links = { first: address, prev: null, next: null, last: address };

const meta = { record_count: 0, next_cursor: null };
declare const otherAttributes: components['schemas']['EmployeeAttributes'];
const attributes = {
  ...otherAttributes,
  employee_number: 'E-1',
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'a@b.example',
  status: 'active',
  department: 'Engineering',
  updated_at: '2026-01-01T00:00:00.000Z',
};

export const rightList: ListOutput = { status: 200, body: { data: [], meta, links } };
export const rightEmployee: GetOutput = {
  status: 200,
  body: { data: { id: 'x', type: 'employees', attributes } },
};
export const rightToken: TokenOutput = {
  status: 200,
  headers: { 'cache-control': 'no-store' },
  body: { access_token: 'x', token_type: 'Bearer', expires_in: 1, scope: '' },
};

export const undeclaredStatus: ListOutput = {
  // @ts-expect-error the contract declares no 201 for this operation
  status: 201,
  body: { data: [], meta, links },
};

export const refusal: GetOutput = {
  // @ts-expect-error errors are thrown, never returned
  status: 404,
  body: { data: { id: 'x', type: 'employees', attributes } },
};

export const missingAttribute: GetOutput = {
  status: 200,
  // @ts-expect-error every attribute is required
  body: { data: { id: 'x', type: 'employees', attributes: { email: 'a@b.example' } } },
};

// @ts-expect-error a body is required
export const withoutBody: GetOutput = { status: 200 };

// @ts-expect-error meta is required
export const missingMember: ListOutput = { status: 200, body: { data: [], links } };

export const undeclaredMember: ListOutput = {
  status: 200,
  // @ts-expect-error the body has no such member
  body: { data: [], meta, links, extra: 1 },
};

export const wrongType: TokenOutput = {
  status: 200,
  // @ts-expect-error the contract knows one type of token
  body: { access_token: 'x', token_type: 'bearer', expires_in: 1, scope: '' },
};

// @ts-expect-error the body of another operation
export const otherBody: GetOutput = { status: 200, body: rightToken.body };

export function readInput({
  params,
  query,
  body,
  caller,
}: Pick<Input<'getEmployee'>, keyof Input<'getEmployee'>>) {
  // @ts-expect-error the parameter has another name
  const misspelt = params.employeeId;
  // @ts-expect-error the operation has no query parameters
  const unknownQuery = query.page;
  // @ts-expect-error the operation has no body
  const unknownBody = body.title;
  return [params.employee_id, caller.accountId, misspelt, unknownQuery, unknownBody];
}

export function readPublicInput({ caller }: Input<'createToken'>) {
  // @ts-expect-error an operation without a token has no caller
  return caller.accountId;
}

export function readListQuery({ query }: Input<'listEmployees'>) {
  // @ts-expect-error a page number is not a string
  const wrong: string = query['page[number]'];
  return [wrong, query['filter[status]']?.length];
}

// @ts-expect-error an operation without a handler
export const incomplete: Handlers = {
  async listEmployees() {
    return rightList;
  },
};

export class WrongHandlers implements Pick<Handlers, 'getEmployee' | 'listEmployees'> {
  // @ts-expect-error a handler with the body of another operation
  async getEmployee(_input: Input<'getEmployee'>): Promise<Output<'listEmployees'>> {
    return rightList;
  }

  // @ts-expect-error a handler with the input of another operation
  async listEmployees(input: Input<'createToken'>): Promise<Output<'listEmployees'>> {
    return { ...rightList, headers: { 'x-grant': input.body.grant_type } };
  }
}

// @ts-expect-error a class that lacks one of its operations
export class MissingHandler implements Pick<Handlers, 'getEmployee' | 'listEmployees'> {
  async listEmployees(_input: Input<'listEmployees'>): Promise<Output<'listEmployees'>> {
    return rightList;
  }
}

// @ts-expect-error an operation that the contract does not have
export type Unknown = Input<'listPayslips'>;
