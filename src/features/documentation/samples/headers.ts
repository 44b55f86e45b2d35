import type { Field, SampleBody, SampleRequest } from './request.js';

const contentTypes: Readonly<Record<SampleBody['kind'], string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
};

/**
 * The headers of a request in the usual case, with `Content-Type`.
 *
 * @param implied bodies whose `Content-Type` the library of the language sets
 */
export function headersOf({ headers, body }: SampleRequest, implied?: SampleBody['kind']): Field[] {
  const isStated = body !== null && body.kind !== implied;
  const type: Field[] = isStated ? [['Content-Type', [contentTypes[body.kind]]]] : [];
  return [...headers, ...type].map(([name, value]) => [headerCase(name), value]);
}

function headerCase(name: string): string {
  return name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
