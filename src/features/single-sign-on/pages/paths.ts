import { settings } from '../../../platform/pages/paths.js';

/** Path of the form that requires single sign-on. */
export const requirePath = `${settings.singleSignOn}/only`;

/** Path of the page that removes the identity provider. */
export const removePath = `${settings.singleSignOn}/remove`;
