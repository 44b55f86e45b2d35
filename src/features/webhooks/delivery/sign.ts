import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

/**
 * Signs a webhook with each secret.
 *
 * @param secrets `whsec_` and base64
 * @returns value of the header `webhook-signature`
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signWebhook(
  secrets: readonly string[],
  { id, timestamp, body }: { id: string; timestamp: string; body: Buffer },
): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    })
    .join(' ');
}
