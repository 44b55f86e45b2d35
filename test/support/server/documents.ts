/** Documents that the server publishes, one of each kind. */
export const publishedDocuments: readonly string[] = [
  '/docs',
  '/errors',
  '/errors/not-found',
  '/openapi/v1.yaml',
  '/openapi/v1.json',
  '/openapi/v1-3.0.json',
  '/openapi/v1.arazzo.yaml',
  '/openapi/v1.postman_collection.json',
  '/llms.txt',
  '/docs/errors.md',
  '/docs/guides/pagination.md',
  '/docs/operations/createReport.md',
  '/docs/webhooks/events.md',
  '/changelog',
  '/changelog.atom',
];
