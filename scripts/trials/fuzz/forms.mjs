import { hostileEscapes, hostileTexts } from './hostile.mjs';

/** Fields of a form for the token or the revocation endpoint, as text. */
export function makeForm({ operation, random, state, mood, headers }) {
  const { application, publicApplication } = state.account;
  const client = random.chance(0.6) ? application : publicApplication;
  const form = new URLSearchParams({ client_id: client.clientId });
  if (client.clientSecret !== undefined && random.chance(0.9)) form.set('client_secret', client.clientSecret);
  if (operation.id === 'revokeToken') form.set('token', state.takeToken(random) ?? 'unknown');
  else for (const [name, value] of Object.entries(grant(random, state, client))) form.set(name, value);
  if (random.chance(0.1)) {
    headers.authorization = `Basic ${Buffer.from(`${client.clientId}:${client.clientSecret ?? ''}`).toString('base64')}`;
    if (random.chance(0.7)) form.delete('client_secret');
  }
  if (mood !== 'mutated') return form.toString();
  const name = random.pick([...form.keys()]);
  const act = random.weighted({ change: 5, drop: 2, repeat: 1, add: 1, escape: 1, type: 1, large: 0.2 });
  if (act === 'change') form.set(name, random.pick(hostileTexts).toWellFormed?.() ?? 'x');
  if (act === 'drop') form.delete(name);
  if (act === 'repeat') form.append(name, form.get(name));
  if (act === 'add') form.append(random.pick(['colour', '__proto__', 'audience', '']), 'x');
  if (act === 'type')
    headers['content-type'] = random.pick(['application/json', 'text/plain', 'x', 'multipart/form-data']);
  if (act === 'large') form.append('x', 'x'.repeat(70_000));
  return act === 'escape' ? `${form}&scope=${random.pick(hostileEscapes)}` : form.toString();
}

function grant(random, state, client) {
  const scope = random.pick([undefined, 'reports:read', 'reports:read user:read', 'admin', ' ']);
  const scoped = scope === undefined ? {} : { scope };
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
