/** A body that an operation accepts, by the path of the operation. */
export function goodBody(path: string): object {
  if (path.includes('users')) return { nickname: 'X' };
  if (path === '/v1/webhook_endpoints') return { url: 'http://localhost:1/events' };
  return path.includes('webhook_endpoints') ? {} : { title: 'X' };
}
