// The rule is also needed below this layer: a change of role revokes what the new role may not grant.
export { isAboutUser, mayGrant } from '../services/scope-rules.js';
