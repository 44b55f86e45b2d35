import type { Core } from '../../platform/core.js';
import { ProfileHandlers } from './profile-handlers.js';
import { Profiles } from './profiles.js';
import { UserInfoHandlers } from './userinfo-handlers.js';

export { type ProfilePagesDependencies, profilePages } from './pages/profile.js';
export type { Profile } from './profiles.js';

export function createProfiles({ database, clock }: Core) {
  const profiles = new Profiles(database);
  return {
    profiles,
    handlers: new ProfileHandlers(profiles, clock),
    userInfoHandlers: new UserInfoHandlers(profiles),
  };
}
