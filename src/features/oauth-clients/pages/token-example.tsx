/** Command that gets a token. The secret is read from the environment, so that it is not stored in the shell history. */
export function TokenExample({ baseUrl, clientId }: { baseUrl: string; clientId: string }) {
  const lines = [
    `curl -sS ${baseUrl}/v1/oauth/token`,
    '  -d grant_type=client_credentials',
    `  -d client_id=${clientId}`,
    '  -d client_secret="$CLIENT_SECRET"',
  ];
  return (
    <pre>
      <code>{lines.join(' \\\n')}</code>
    </pre>
  );
}
