/** The parts of the parsed OpenAPI document that the server reads. */
export interface ContractDocument {
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly [{ readonly url: string }];
  readonly 'x-limits': { readonly deprecation_notice_days: number; readonly [name: string]: number };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly webhooks?: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: {
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
    readonly headers: { readonly RequestId: { readonly example: string } };
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: {
      readonly oauth2: {
        readonly flows: { readonly clientCredentials: { readonly scopes: Readonly<Record<string, string>> } };
      };
    };
  };
}

/** An operation of the parsed document. */
export interface RawOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly deprecated?: boolean;
  /** Whether tokens without a user are rejected. */
  readonly 'x-user-required'?: boolean;
  readonly 'x-deprecated-since'?: string;
  readonly 'x-sunset'?: string;
  readonly 'x-server'?: Readonly<Record<string, unknown>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}
