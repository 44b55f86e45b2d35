/** A document that the server publishes beside the reference. */
export interface ListedDocument {
  readonly path: string;
  readonly title: string;
  readonly description: string;
}

/** The contract in the formats of tools. */
export const contractFormats = [
  { path: '/openapi/v1.yaml', title: 'OpenAPI 3.1, YAML', description: 'The contract, with comments.' },
  { path: '/openapi/v1.json', title: 'OpenAPI 3.1, JSON', description: 'The contract.' },
  {
    path: '/openapi/v1-3.0.json',
    title: 'OpenAPI 3.0, JSON',
    description: 'The contract for tools that do not support OpenAPI 3.1.',
  },
  {
    path: '/openapi/v1.arazzo.yaml',
    title: 'Arazzo workflows',
    description: 'Common uses of the API, request by request.',
  },
  {
    path: '/openapi/v1.postman_collection.json',
    title: 'Postman collection',
    description: 'Every operation as a request with examples, for Postman and Bruno.',
  },
] as const satisfies readonly ListedDocument[];

/** Documents for readers. */
export const readerDocuments = [
  { path: '/llms.txt', title: 'Markdown', description: 'All guides and operations, for language models.' },
  { path: '/changelog', title: 'Changelog', description: 'What has changed in each version.' },
  { path: '/changelog.atom', title: 'Changelog feed', description: 'Released versions, as an Atom feed.' },
] as const satisfies readonly ListedDocument[];
