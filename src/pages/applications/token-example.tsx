/** A command that gets a token, ready to paste; the secret comes from the environment, not from the history. */
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
