import { challenge, userContextRequired } from '../../oauth/authentication.js';
import { invalidToken } from '../../oauth/tokens/access-tokens.js';
import type { Clock } from '../../platform/clock.js';
import type { components } from '../../platform/contract/generated.js';
import { type Handlers, type Input, jsonText, type Output } from '../../platform/http/binding/handlers.js';
import { etagOfBody, includesTag } from '../../platform/http/etag.js';
import { callerContext, type Principal } from '../../platform/http/principal.js';
import { invalidMembers } from '../../platform/problems/invalid-request.js';
import type { Problem } from '../../platform/problems/problem.js';
import {
  type ClaimError,
  type ClaimName,
  checkClaims,
  claimNames,
  type Profile,
  type Profiles,
  type WritableClaims,
} from './profiles.js';

type UserDocument = components['schemas']['UserDocument'];
type UserResource = components['schemas']['User'];

export class ProfileHandlers implements Pick<Handlers, 'getCurrentUser' | 'updateCurrentUser'> {
  readonly #profiles: Profiles;
  readonly #clock: Clock;

  constructor(profiles: Profiles, clock: Clock) {
    this.#profiles = profiles;
    this.#clock = clock;
  }

  /** @throws {Problem} 403 `user_context_required` */
  async getCurrentUser({ caller, request }: Input<'getCurrentUser'>): Promise<Output<'getCurrentUser'>> {
    const profile = await this.#profiles.get(caller.accountId, userOf(caller));
    const body = jsonText<UserDocument>({ data: toResource(profile) });
    const etag = etagOfBody(body);
    if (includesTag(request.headers['if-none-match'], etag)) return { status: 304, headers: { etag } };
    return { status: 200, records: 1, headers: { etag }, body };
  }

  /** @throws {Problem} 400 `invalid_request`, 403 `user_context_required` */
  async updateCurrentUser({
    caller,
    body,
    request,
  }: Input<'updateCurrentUser'>): Promise<Output<'updateCurrentUser'>> {
    const checked = checkClaims(toClaims(body));
    if ('errors' in checked) throw invalidClaims(checked.errors);
    const auditContext = {
      ...callerContext({ caller, request }, this.#clock()),
      userId: userOf(caller),
    };
    const profile = await this.#profiles.update(auditContext, checked.claims);
    return { status: 200, records: 1, body: { data: toResource(profile) } };
  }
}

/** @throws {Problem} 403 `user_context_required` when the token has no user */
export function userOf({ userId }: Principal): string {
  if (userId === null) throw userContextRequired();
  return userId;
}

function toClaims(body: components['schemas']['UserUpdateRequest']): Partial<WritableClaims> {
  const given: Readonly<Record<string, string | null | undefined>> = body;
  const claims = Object.entries(claimNames).map(([claim, name]) => [claim, given[name]]);
  return Object.fromEntries(claims.filter(([, value]) => value !== undefined));
}

function invalidClaims(errors: readonly ClaimError[]): Problem {
  return invalidMembers(
    errors.map(({ claim, violation }) => ({ path: [claimNames[claim satisfies ClaimName]], violation })),
  );
}

/**
 * The profile with the names of its claims.
 *
 * @throws {Problem} 401 `invalid_token` when the user was deleted after the token was verified
 */
export function toResource(profile: Profile | null): UserResource {
  if (profile === null) throw challenge(invalidToken());
  const { id, givenName, familyName } = profile;
  return {
    id,
    type: 'users',
    attributes: {
      sub: id,
      name: [givenName, familyName].filter((name) => name !== '').join(' '),
      given_name: givenName,
      family_name: familyName,
      nickname: profile.nickname,
      picture: profile.picture,
      locale: profile.locale,
      zoneinfo: profile.zoneinfo,
      phone_number: profile.phoneNumber,
      phone_number_verified: profile.phoneNumberVerified,
      email: profile.email,
      email_verified: profile.emailVerified,
      updated_at: Math.floor(profile.updatedAt.getTime() / 1000),
    },
  };
}
