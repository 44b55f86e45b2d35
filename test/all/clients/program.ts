/** What a partner configures. */
interface Settings {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The program that is written with each generated client. Its steps are the same with each of them. */
export type Program = (settings: Settings) => Promise<Outcome>;

/** What the program has read. The test compares it with the contents of the database. */
export interface Outcome {
  /** The error of a token request with a wrong secret. */
  readonly unauthenticated: OAuthRejection;
  /** The ids of all employees, page by page. */
  readonly pages: readonly (readonly string[])[];
  /** The report that is created and, at the end, deleted. */
  readonly reportId: string;
  /** The title of the report after its update. */
  readonly title: string;
  /** The rows of the report as JSON: the number of active employees of each department. */
  readonly headcount: Readonly<Record<string, number>>;
  /** The rows of the report as CSV. */
  readonly csv: string;
  /** The error of a request for an employee that does not exist. */
  readonly missing: Rejection;
  /** The error of a request to create a report with a malformed date-time. */
  readonly malformed: Rejection;
}

interface OAuthRejection {
  readonly code: string;
  /** The error code of OAuth 2.0. */
  readonly error: string;
}

interface Rejection {
  readonly status: number;
  readonly code: string;
  /** The places in the body that are invalid. */
  readonly pointers: readonly (string | undefined)[] | undefined;
}
