export { OAuthApplications } from './oauth-applications.js';
