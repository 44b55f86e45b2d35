import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { violation } from '../../platform/problems/rule-texts.js';
import { parseScope } from '../scopes.js';

/** The parameters that ask something of the sign-in. */
interface Parameters {
  readonly scope: string;
  readonly prompt?: string | undefined;
  readonly max_age?: string | undefined;
}

/** What an authorization request asks of the sign-in. */
interface SignInDemands {
  /** Whether no page may be shown. */
  readonly silent: boolean;
  /** Maximum time since the user signed in; 0: the user must sign in for this request, `null`: any session is accepted. */
  readonly maximumAgeSeconds: number | null;
}

/** The values of `prompt`. */
export const prompts: readonly string[] = ['none', 'login', 'consent', 'select_account'];
const newSignIn: readonly string[] = ['login', 'select_account'];
const maximumMaxAge = 2_147_483_647;

/**
 * Reads `prompt` and `max_age`. Without the scope `openid` they are ignored, as unknown parameters are. `consent` changes nothing,
 * because consent is always requested.
 *
 * @throws {Problem} 400 `invalid_request`; never a redirect
 * @see OpenID Connect Core 1.0 section 3.1.2.1
 */
export function readSignInDemands({ scope, prompt = '', max_age = '' }: Parameters): SignInDemands {
  if (!asksForOpenId(scope)) return { silent: false, maximumAgeSeconds: null };
  const values = prompt.split(' ').filter((value) => value !== '');
  const silent = values.includes('none');
  if (values.some((value) => !prompts.includes(value)) || (silent && values.length > 1))
    throw invalidParameter('prompt', violation('prompt'));
  if (max_age !== '' && !(/^\d{1,10}$/.test(max_age) && Number(max_age) <= maximumMaxAge)) {
    const range = { minimum: 0, maximum: maximumMaxAge };
    throw invalidParameter('max_age', violation('type', { types: ['integer'], ...range }));
  }
  if (values.some((value) => newSignIn.includes(value))) return { silent, maximumAgeSeconds: 0 };
  return { silent, maximumAgeSeconds: max_age === '' ? null : Number(max_age) };
}

/** Whether the parameters of this file have an effect. */
export function asksForOpenId(scope: string): boolean {
  return parseScope(scope).includes('openid');
}
