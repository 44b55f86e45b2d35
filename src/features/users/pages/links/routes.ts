import type { FastifyInstance } from 'fastify';
import type { BrowserSessions } from '../../../../platform/http/browser-sessions.js';
import type { EmailChanges } from '../../email-changes.js';
import type { AcceptInvitation } from '../../invitations.js';
import type { PasswordLinks } from '../../password-links.js';
import { acceptInvitationPages } from './accept-invitation.js';
import { confirmEmailPages } from './confirm-email.js';
import { forgotPasswordPages } from './forgot-password.js';
import { PublicPages } from './public-pages.js';
import { setPasswordPages } from './set-password.js';

interface LinkPagesDependencies {
  readonly sessions: BrowserSessions;
  readonly acceptInvitation: AcceptInvitation;
  readonly passwordLinks: PasswordLinks;
  readonly emailChanges: EmailChanges;
}

/** The pages that one-time links lead to, and the page for a forgotten password. */
export async function linkPages(app: FastifyInstance, dependencies: LinkPagesDependencies): Promise<void> {
  const pages = new PublicPages(app, dependencies.sessions);
  acceptInvitationPages(pages, dependencies);
  setPasswordPages(pages, dependencies);
  confirmEmailPages(pages, dependencies);
  forgotPasswordPages(pages, dependencies);
}
