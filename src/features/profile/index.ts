export { type ProfilePagesDependencies, profilePages } from './pages/profile.js';
export type { Profile } from './profiles.js';
