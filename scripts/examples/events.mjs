import { send } from './send.mjs';

const daysMs = 60 * 86_400_000;

const read = (path) => async (world) => world.send(`/v1/events${path}`, { token: await world.token() });

/** The feed of events. The demo data is its first events. */
export const events = {
  EventsResponseExample: read('?page[size]=2'),
  EndOfFeedResponseExample: read('?filter[since]=2999-01-01T00:00:00Z'),
  EventResponseExample: read('/evt_demoacme_00000001'),
  UnknownEventCursorResponseExample: read('?page[after]=evt_demoglobex_00000001'),
  EventNotFoundResponseExample: read('/unknown'),
  EventsExpiredResponseExample: async (world) => {
    const at = () => new Date(Date.now() + daysMs);
    const later = await world.startOther({ environment: {}, at });
    const { body } = await send(later.base, '/v1/oauth/token', {
      form: { grant_type: 'client_credentials', ...world.credentials('demobackend') },
    });
    return send(later.base, '/v1/events?page[after]=evt_demoacme_00000001', { token: body.access_token });
  },
};
