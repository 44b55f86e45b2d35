import { startOurs } from '../subjects/ours.mjs';

/**
 * @typedef {object} Scene Where subjects are prepared; whatever was started is stopped in the end.
 * @property {{ name: string, url: string }} database
 * @property {<T>(starting: Promise<T>) => Promise<T>} start
 * @property {(options?: { root?: string }) => Promise<import('../subjects/subject.mjs').Subject>} startOurs
 */

/**
 * @param {object} context
 * @param {{ database: string, profileDirectory?: string }} settings database: kind of it
 * @param {(scene: Scene) => Promise<Result>} act
 * @template Result
 * @returns {Promise<Result>}
 */
export async function withScene(context, { database: kind, profileDirectory }, act) {
  const database = await context.database(kind);
  const running = [];
  const start = async (starting) => {
    const subject = await starting;
    running.push(subject);
    return subject;
  };
  try {
    return await act({
      database,
      start,
      startOurs: (options) => start(startOurs({ databaseUrl: database.url, profileDirectory, ...options })),
    });
  } finally {
    for (const subject of running) await subject.stop();
  }
}
