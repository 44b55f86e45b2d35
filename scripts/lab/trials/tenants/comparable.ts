import type { Random } from '../../../../test/support/input/random.js';
import type { HttpResponse } from '../../kit/http/client.js';

/** Headers that differ in each response. */
const changing = ['x-request-id', 'date', 'set-cookie'];

/**
 * The response without the id of the request and the parts that differ in each response. If two such texts are equal, the
 * responses do not reveal which id exists.
 */
export function comparable({ status, headers, body }: HttpResponse, id: string): string {
  const kept = Object.entries(headers).filter(([name]) => !changing.includes(name));
  let text = JSON.stringify({ status, headers: Object.fromEntries(kept), body: body.toString('latin1') });
  const encodedAsForm = new URLSearchParams([['', id]]).toString().slice(1);
  for (const form of new Set([id, encodeURIComponent(id), encodedAsForm])) {
    text = text.replaceAll(form, '«id»');
  }
  const requestId = headers['x-request-id'];
  if (requestId !== undefined) text = text.replaceAll(requestId, '«request»');
  // Every page has its own anti-forgery token and nonce.
  return text
    .replaceAll(/name=\\"csrf_token\\" value=\\"[^"]*\\"/g, '«csrf»')
    .replaceAll(/nonce-[\w+/=-]+/g, '«nonce»')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z/g, '«time»');
}

/** An unknown id of the same form. */
export function unknownLike(id: string, random: Random): string {
  return id
    .replaceAll(/[0-9]/g, () => random.text(1, '0123456789'))
    .replaceAll(/[a-z]/g, () => random.text(1, 'abcdefghijklmnopqrstuvwxyz'))
    .replaceAll(/[A-Z]/g, () => random.text(1, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'));
}
