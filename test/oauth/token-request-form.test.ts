import {
  address,
  basic,
  formOf,
  grantOnly,
  newApplication,
  refused,
} from '../support/oauth/token-requests.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

// Otherwise the failure limit of the address would reject the requests.
const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });

t.test('names a parameter that is missing or empty', async (t) => {
  const application = await newApplication(api);
  for (const name of ['grant_type', 'client_id', 'client_secret']) {
    const { [name]: _, ...without } = formOf(application);
    refused(t, await api.postForm(address, without), 'invalid_request', { parameter: name, label: name });
    const empty = await api.postForm(address, { ...without, [name]: '' });
    refused(t, empty, 'invalid_request', { parameter: name, label: `${name} empty` });
  }
  refused(t, await api.postForm(address, grantOnly, basic(application.clientId, '')), 'invalid_request', {
    parameter: 'client_secret',
  });
  for (const empty of ['', '&', '&&&', '=', '=&=']) {
    const response = await api.postForm(address, empty);
    refused(t, response, 'invalid_request', { label: JSON.stringify(empty) });
  }
});

t.test('names a missing parameter of the grant before it checks the secret', async (t) => {
  const wrong = { ...formOf(await newApplication(api)), client_secret: 'wrong' };
  for (const [grant_type, form] of Object.entries({
    authorization_code: { code: 'x', redirect_uri: 'https://client.example/', code_verifier: 'x'.repeat(43) },
    refresh_token: { refresh_token: 'x' },
  })) {
    refused(t, await api.postForm(address, { ...wrong, ...form, grant_type }), 'invalid_client');
    for (const parameter of Object.keys(form)) {
      const without = { ...wrong, ...form, grant_type, [parameter]: '' };
      refused(t, await api.postForm(address, without), 'invalid_request', { parameter, label: parameter });
    }
  }
});

t.test('names a parameter with NUL', async (t) => {
  const form = formOf(await newApplication(api));
  for (const parameter of [...Object.keys(form), 'scope', 'code', 'refresh_token', 'unknown']) {
    const response = await api.postForm(address, { ...form, [parameter]: 'a\u0000b' });
    refused(t, response, 'invalid_request', { parameter, label: parameter });
    t.match(response.json().detail, /must be valid Unicode without NUL characters/, parameter);
  }
});

t.test('rejects a parameter that is sent twice, even with equal values', async (t) => {
  const application = await newApplication(api);
  const form = { ...formOf(application), scope: 'reports:read' };
  for (const [name, value] of Object.entries(form)) {
    for (const second of [value, 'other']) {
      const body = `${new URLSearchParams(form)}&${name}=${encodeURIComponent(second)}`;
      refused(t, await api.postForm(address, body), 'invalid_request', {
        parameter: name,
        label: `${name} twice`,
      });
    }
  }
});

t.test('ignores unknown parameters in the form and in the address', async (t) => {
  const application = await newApplication(api);
  const unknown = {
    audience: 'y',
    __proto__x: '1',
    constructor: '2',
    'a[b]': '3',
    '': '4',
    toString: '5',
  };
  t.equal((await api.postForm(address, { ...formOf(application), ...unknown })).statusCode, 200);
  const proto = `${new URLSearchParams(formOf(application))}&__proto__=1&hasOwnProperty=2`;
  t.equal((await api.postForm(address, proto)).statusCode, 200);
  t.equal((await api.postForm(`${address}?x=1&grant_type=password`, formOf(application))).statusCode, 200);
});

t.test('ignores credentials in the query string', async (t) => {
  const application = await newApplication(api);
  const response = await api.postForm(`${address}?${new URLSearchParams(formOf(application))}`, 'x=1');
  refused(t, response, 'invalid_request', { parameter: 'grant_type' });
});

t.test('rejects any other content type than a form', async (t) => {
  const application = await newApplication(api);
  const form = new URLSearchParams(formOf(application)).toString();
  const json = JSON.stringify(formOf(application));
  for (const [contentType, payload] of [
    ['application/json', json],
    ['application/json; charset=utf-8', json],
    ['application/json', '{'],
    ['application/json', ''],
    ['text/plain', form],
    ['multipart/form-data; boundary=x', form],
    ['application/xml', '<x/>'],
    ['application/x-www-form-urlencoded-x', form],
    ['application/octet-stream', form],
    ['nonsense', form],
    ['*/*', form],
    [';', form],
  ] as const) {
    const response = await api.postForm(address, payload, { 'content-type': contentType });
    refused(t, response, 'invalid_request', { label: `${contentType} ${payload.slice(0, 10)}` });
  }
  const untyped = await api.app.inject({ method: 'POST', url: address, payload: Buffer.from(form) });
  refused(t, untyped, 'invalid_request', { label: 'no content type' });
  refused(t, await api.app.inject({ method: 'POST', url: address }), 'invalid_request', { label: 'no body' });
});

t.test('accepts the content type of forms in any letter case and with parameters', async (t) => {
  const application = await newApplication(api);
  for (const contentType of [
    'application/x-www-form-urlencoded; charset=utf-8',
    'application/x-www-form-urlencoded;charset=UTF-8',
    'Application/X-WWW-Form-URLEncoded',
  ]) {
    const response = await api.postForm(address, formOf(application), { 'content-type': contentType });
    t.equal(response.statusCode, 200, contentType);
  }
});

t.test('rejects a form that is not percent-encoded UTF-8', async (t) => {
  const application = await newApplication(api);
  const form = new URLSearchParams(formOf(application)).toString();
  for (const broken of ['%', '%4', '%zz', '%ff', '%C3%28', '%ED%A0%80', 'x=%E2%82']) {
    refused(t, await api.postForm(address, `${form}&scope=${broken}`), 'invalid_request', { label: broken });
    refused(t, await api.postForm(address, `${broken}&${form}`), 'invalid_request', { label: broken });
  }
});

t.test('rejects values that are too long', async (t) => {
  const application = await newApplication(api);
  for (const [name, longest] of [
    ['grant_type', 255],
    ['client_id', 255],
    ['client_secret', 255],
    ['scope', 1024],
  ] as const) {
    const form = { ...formOf(application), [name]: 'x'.repeat(longest + 1) };
    refused(t, await api.postForm(address, form), 'invalid_request', { parameter: name, label: name });
  }
});

t.test('sends an error as a problem document when Accept names that media type', async (t) => {
  const names = [
    'application/problem+json',
    'application/problem+json, application/json',
    'application/json;q=0.5, application/problem+json;q=0.9',
    'Application/Problem+JSON',
  ];
  const bad = { ...grantOnly, client_id: 'x', client_secret: 'y' };
  for (const accept of names) {
    const response = await api.postForm(address, bad, { accept });
    t.equal(response.headers['content-type'], 'application/problem+json', accept);
    t.equal(response.json().error, 'invalid_client', 'with the members of OAuth too');
  }
  for (const accept of [
    '*/*',
    'application/*',
    'application/json',
    'text/html',
    '',
    'application/problem+jsonx',
  ]) {
    const response = await api.postForm(address, bad, { accept });
    t.equal(response.headers['content-type'], 'application/json', JSON.stringify(accept));
  }
  const good = await api.postForm(address, formOf(await newApplication(api)), {
    accept: 'application/problem+json',
  });
  t.equal(
    good.headers['content-type'],
    'application/json; charset=utf-8',
    'a token is not a problem document',
  );
});

t.test('the description has the characters of RFC 6749 only, whatever was sent', async (t) => {
  const application = await newApplication(api);
  for (const text of [
    '"quoted"',
    'back\\slash',
    'ünïcödé',
    'tab\tline\r\nend',
    '\u0007',
    '😀',
    '\u007f',
    '\u2028',
  ]) {
    for (const form of [
      { ...formOf(application), scope: text },
      { ...formOf(application), grant_type: text },
    ]) {
      const { error_description: description } = (await api.postForm(address, form)).json();
      t.match(description, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/, encodeURIComponent(text));
    }
  }
});

t.test('rejects every method except POST', async (t) => {
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const) {
    t.equal((await api.app.inject({ method, url: address })).statusCode, 404, method);
  }
});
