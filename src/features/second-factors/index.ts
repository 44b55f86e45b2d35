export type { OwnSecondFactorDependencies } from './pages/dependencies.js';
export { credentialField, hiddenFields, PasskeyForm } from './pages/passkey-form.js';
export { ownSecondFactorPages } from './pages/routes.js';
export { type PasskeyResponse, Passkeys } from './passkeys.js';
export { SecondFactorSignIn } from './second-factor-sign-in.js';
export { SecondFactors } from './second-factors.js';
