import type { AuditEventType } from '../services/audit-log.js';

/** Label of each event type, in the order of the filter. */
export const auditEventLabels: Readonly<Record<AuditEventType, string>> = {
  'sign_in.succeeded': 'Signed in',
  'sign_in.failed': 'Sign-in failed',
  'sign_in.rate_limited': 'Sign-in rejected after too many failed attempts',
  sign_out: 'Signed out',
  'reauthentication.succeeded': 'Confirmed the password',
  'reauthentication.failed': 'Confirmation of the password failed',
  'reauthentication.rate_limited': 'Confirmation of the password rejected after too many failed attempts',
  'application.created': 'Created an application',
  'application.updated': 'Changed an application',
  'application.deleted': 'Deleted an application',
  'application.secret_created': 'Created a client secret',
  'application.secret_revoked': 'Revoked a client secret',
  'application.access_revoked': 'Revoked all access of an application',
  'report.created': 'Created a report',
  'report.updated': 'Changed a report',
  'report.deleted': 'Deleted a report',
  'report.exported': 'Exported a report as CSV',
  'consent.allowed': 'Authorized an application',
  'consent.denied': 'Denied authorization to an application',
  'grant.revoked': 'Disconnected an application',
  'authorization_code.issued': 'Authorization code issued',
  'authorization_code.replayed': 'Authorization code used twice: tokens revoked',
  'token.issued': 'Token issued',
  'token.refreshed': 'Token refreshed',
  'token.revoked': 'Token revoked by the application',
  'refresh_token.replayed': 'Refresh token used twice: tokens revoked',
  'client_authentication.failed': 'Client authentication failed',
  'signing_key.rotated': 'Signing key rotated',
  'signing_key.resealed': 'Signing keys encrypted with a new secret',
  'issuer.changed': 'Public address changed',
  'account.created': 'Account created',
  'user.created': 'User created',
  'user.updated': 'Changed their profile',
  'user.disabled': 'User disabled',
  'user.enabled': 'User enabled',
  'user.role_changed': 'User role changed',
  'user.password_changed': 'User password changed',
  'user.sessions_revoked': 'User sessions revoked',
  'user.password_link_created': 'Link for a new password created',
  'user.email_change_requested': 'Change of e-mail address requested',
  'user.email_changed': 'E-mail address changed',
  'invitation.created': 'User invited',
  'invitation.revoked': 'Invitation revoked',
  'invitation.accepted': 'Invitation accepted',
  'employees.imported': 'Employees imported',
};

/** Label of an event type. A type that this version does not know is its own label. */
export function auditEventLabel(type: string): string {
  return isAuditEventType(type) ? auditEventLabels[type] : type;
}

export function isAuditEventType(type: string): type is AuditEventType {
  return Object.hasOwn(auditEventLabels, type);
}
