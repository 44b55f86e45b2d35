import { hostileEscapes, hostileTexts } from '../../../../test/support/fuzz/hostile-values.js';
import type { Random } from '../../../../test/support/input/random.js';
import { clientFields } from '../../kit/http/requests.js';
import type { Application } from '../accounts.js';
import type { Draft } from './generate.js';
import type { State } from './state.js';

/** The form of a request for the token or the revocation endpoint. */
export function createForm({ operation, random, state, kind, headers }: Draft): string {
  const { application, publicApplication } = state.known.account;
  const client = random.chance(0.6) ? application : publicApplication;
  const form = new URLSearchParams(clientFields(client));
  if (random.chance(0.1)) form.delete('client_secret');
  if (operation.id === 'revokeToken') form.set('token', state.takeToken(random) ?? 'unknown');
  else for (const [name, value] of Object.entries(grant(random, state, client))) form.set(name, value);
  if (random.chance(0.1)) {
    const credentials = Buffer.from(`${client.clientId}:${client.clientSecret ?? ''}`).toString('base64');
    headers.authorization = `Basic ${credentials}`;
    if (random.chance(0.7)) form.delete('client_secret');
  }
  return kind === 'mutated' ? mutate(form, random, headers) : form.toString();
}

function mutate(form: URLSearchParams, random: Random, headers: Record<string, string>): string {
  const name = random.pick([...form.keys()]);
  switch (random.weighted({ change: 5, drop: 2, repeat: 1, add: 1, escape: 1, type: 1, large: 0.2 })) {
    case 'change':
      form.set(name, random.pick(hostileTexts).toWellFormed());
      break;
    case 'drop':
      form.delete(name);
      break;
    case 'repeat':
      form.append(name, form.get(name) ?? '');
      break;
    case 'add':
      form.append(random.pick(['colour', '__proto__', 'audience', '']), 'x');
      break;
    case 'type':
      headers['content-type'] = random.pick(['application/json', 'text/plain', 'x', 'multipart/form-data']);
      break;
    case 'large':
      form.append('x', 'x'.repeat(70_000));
      break;
    case 'escape':
      return `${form}&scope=${random.pick(hostileEscapes)}`;
  }
  return form.toString();
}

function grant(random: Random, state: State, client: Application): Record<string, string> {
  const scope = random.pick([undefined, 'reports:read', 'reports:read user:read', 'admin', ' ']);
  const scoped: Record<string, string> = scope === undefined ? {} : { scope };
  switch (random.upTo(4)) {
    case 0:
      return {
        grant_type: 'authorization_code',
        code: random.text(43),
        redirect_uri: client.redirectUri,
        code_verifier: random.text(43),
      };
    case 1:
      return {
        grant_type: 'refresh_token',
        refresh_token: state.takeToken(random) ?? random.text(43),
        ...scoped,
      };
    case 2:
      return { grant_type: random.pick(['password', 'implicit', 'CLIENT_CREDENTIALS', '']) };
    default:
      return { grant_type: 'client_credentials', ...scoped };
  }
}
