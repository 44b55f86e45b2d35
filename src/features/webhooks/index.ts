export { endpointsInWords } from './pages/list-page.js';
export { type WebhookPagesDependencies, webhookPages } from './pages/routes.js';
export { pauseEndpoints } from './pause-endpoints.js';
export type { WebhookEndpoint } from './webhook-endpoint.js';
