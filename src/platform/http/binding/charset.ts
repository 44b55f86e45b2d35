import type { Operation } from '../../contract/contract.js';
import { unsupportedMediaType } from './request-syntax.js';

/** Charsets whose bytes are UTF-8. */
const charsets: readonly string[] = ['utf-8', 'us-ascii'];

/** A parameter of a media type, whose value is a quoted string or a token. */
const parameter = /;\s*([^\s=;]+)\s*=\s*(?:"([^"]*)"|([^\s;]*))/g;

/**
 * Rejects a JSON body with a charset other than UTF-8. Call it before the body is parsed, because the parser would report
 * such a body as invalid JSON.
 *
 * @throws {Problem} 415 `unsupported_media_type`, or 400 `invalid_request` where the operation declares no 415
 * @see RFC 8259 section 8.1
 */
export function checkCharset(contentType: string | undefined, operation: Operation): void {
  const end = contentType?.indexOf(';') ?? -1;
  if (contentType === undefined || end === -1) return;
  if (contentType.slice(0, end).trim().toLowerCase() !== 'application/json') return;
  for (const [, name = '', quoted, token = ''] of contentType.matchAll(parameter)) {
    if (name.toLowerCase() !== 'charset' || charsets.includes((quoted ?? token).toLowerCase())) continue;
    throw unsupportedMediaType(operation, `The charset of a JSON body must be ${charsets.join(' or ')}.`);
  }
}
