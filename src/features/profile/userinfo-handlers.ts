import { openIdClaims } from '../../oauth/scopes.js';
import type { components } from '../../platform/contract/generated.js';
import type { Handlers, Input, Output } from '../../platform/http/binding/handlers.js';
import type { Principal } from '../../platform/http/principal.js';
import { toResource, userOf } from './profile-handlers.js';
import type { Profiles } from './profiles.js';

type UserInfo = components['schemas']['UserInfo'];

/** The UserInfo endpoint of OpenID Connect. @see OpenID Connect Core 1.0 section 5.3 */
export class UserInfoHandlers implements Pick<Handlers, 'getUserInfo' | 'postUserInfo'> {
  readonly #profiles: Profiles;

  constructor(profiles: Profiles) {
    this.#profiles = profiles;
  }

  /** @throws {Problem} 403 `user_context_required` */
  async getUserInfo({ caller }: Input<'getUserInfo'>): Promise<Output<'getUserInfo'>> {
    return this.#respond(caller);
  }

  /** @throws {Problem} 403 `user_context_required` */
  async postUserInfo({ caller }: Input<'postUserInfo'>): Promise<Output<'postUserInfo'>> {
    return this.#respond(caller);
  }

  async #respond(caller: Principal) {
    const profile = await this.#profiles.get(caller.accountId, userOf(caller));
    const body = claimsOf(toResource(profile).attributes, caller.scopes);
    return { status: 200, records: 1, headers: { 'cache-control': 'no-store' }, body } as const;
  }
}

/** The claims of the scopes, without those that the user does not have. @see OpenID Connect Core 1.0 section 5.3.2 */
function claimsOf(
  attributes: components['schemas']['User']['attributes'],
  scopes: ReadonlySet<string>,
): UserInfo {
  const names = Object.entries(openIdClaims).flatMap(([scope, claims]) => (scopes.has(scope) ? claims : []));
  const claims = names.map((name) => [name, attributes[name]] as const);
  const { phone_number } = attributes;
  const isPresent = ([name, value]: (typeof claims)[number]) =>
    value !== null && value !== '' && (name !== 'phone_number_verified' || phone_number !== null);
  return { sub: attributes.sub, ...Object.fromEntries(claims.filter(isPresent)) };
}
