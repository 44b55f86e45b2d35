import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';
import type { RecentPassword } from '../../../src/platform/pages/page-context.js';

/** The forms of all pages of applications that are built after the import, by the path of their route. */
export const pageActions: Record<string, RecentPassword> = {};

diagnostics.subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook('onRoute', ({ url, config }) => {
    if (config?.recentPassword !== undefined) pageActions[url] = config.recentPassword;
  });
});
