/** Headers that differ from one answer to the next whatever was asked. */
const changing = ['x-request-id', 'date', 'set-cookie'];

/**
 * What is left of an answer once the id that was asked for, and what differs each time, is taken out: two answers
 * that are alike in this tell nobody which id exists.
 *
 * @param {import('../client/answer-reader.mjs').HttpAnswer} answer
 * @param {string} id
 */
export function normalised({ status, headers, body }, id) {
  const kept = Object.entries(headers).filter(([name]) => !changing.includes(name));
  let text = JSON.stringify({ status, headers: Object.fromEntries(kept), body: body.toString('latin1') });
  for (const form of new Set([
    id,
    encodeURIComponent(id),
    new URLSearchParams([['', id]]).toString().slice(1),
  ]))
    text = text.replaceAll(form, '«id»');
  const requestId = headers['x-request-id'];
  if (requestId !== undefined) text = text.replaceAll(requestId, '«request»');
  // Anti-forgery tokens and nonces are made anew for each page.
  return text
    .replaceAll(/name=\\"csrf_token\\" value=\\"[^"]*\\"/g, '«csrf»')
    .replaceAll(/nonce-[\w+/=-]+/g, '«nonce»')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*Z/g, '«time»');
}

/** An id of the same form that nobody has. */
export function lookalike(id, random) {
  return id
    .replaceAll(/[0-9]/g, () => random.text(1, '0123456789'))
    .replaceAll(/[a-z]/g, () => random.text(1, 'abcdefghijklmnopqrstuvwxyz'))
    .replaceAll(/[A-Z]/g, () => random.text(1, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'));
}
