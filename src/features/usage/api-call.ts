/** The application of a call. Only `clientId` is set when a valid token was rejected before its application was read. */
export interface CallingApplication {
  readonly accountId?: string | undefined;
  readonly applicationId?: string | undefined;
  readonly clientId?: string | undefined;
}

/** A finished request to an operation of the contract. */
export interface ApiCall extends CallingApplication {
  readonly userId: string | null;
  readonly operation: string;
  /** Absent when the client disconnected before the response. */
  readonly status: number | undefined;
  /** Employees, reports, report rows or users in the response. */
  readonly records: number;
  readonly requestId: string;
  /** Code of the problem document in the response. */
  readonly code: string | null;
}

/** Key of an application in memory. Ids of applications contain no space. */
export function applicationKey({ applicationId, clientId }: CallingApplication): string {
  return applicationId ?? `client ${clientId}`;
}
