let baseUrl = '';
let authorization: Record<string, string> = {};

/** Sets the address of the server. */
export function setBaseUrl(url: string): void {
  baseUrl = url;
}

/** Sets the access token that each request carries. */
export function setToken(token: string): void {
  authorization = { Authorization: `Bearer ${token}` };
}

/** Sends a request of the generated client; `Result` is the union of its responses, by `status`. */
export async function fetcher<Result>(path: string, options: RequestInit = {}): Promise<Result> {
  const headers = { ...options.headers, ...authorization };
  const response = await fetch(`${baseUrl}${path}`, { ...options, headers });
  return { status: response.status, headers: response.headers, data: await read(response) } as Result;
}

async function read(response: Response): Promise<unknown> {
  const isJson = /json/.test(response.headers.get('Content-Type') ?? '');
  return isJson ? response.json() : response.text();
}
