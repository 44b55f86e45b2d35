/** Ids of the reports that are created, in the recordings. */
const shownIds = {
  ListReportCreateRequestExample: 'fmqgsoyj0irk1sxd0oor8b277',
  GroupedReportCreateRequestExample: 'k3v9x2m7q1d8s5h0w4z6b3n1t',
  MeasuresReportCreateRequestExample: 'b7q2t9w4e1r8y5u3i6o0p2a5s',
};

const get = (path, headers) => async (world) => world.send(path, { token: await world.token(), headers });

const create = (name) => async (world) => {
  const response = await world.send('/v1/reports', { json: world.example(name), token: await world.token() });
  if (shownIds[name] !== undefined) world.masks.replace(response.body.data.id, shownIds[name]);
  return response;
};

const update = (name, created) => async (world) =>
  world.send(`/v1/reports/${await idOf(world, created)}`, {
    method: 'PATCH',
    json: world.example(name),
    token: await world.token(),
  });

const run = (created, results) => async (world) =>
  get(`/v1/reports/${await idOf(world, created)}/${results}`)(world);

async function idOf(world, created) {
  const { body } = await world.recorded(created);
  return body.data.id;
}

/** Reports. The list comes before the reports that the others create. */
export const reports = {
  ReportsResponseExample: get('/v1/reports'),
  ReportColumnsResponseExample: get('/v1/report_columns'),
  TitleOnlyReportCreateRequestExample: create('TitleOnlyReportCreateRequestExample'),
  ListReportCreateRequestExample: create('ListReportCreateRequestExample'),
  GroupedReportCreateRequestExample: create('GroupedReportCreateRequestExample'),
  MeasuresReportCreateRequestExample: create('MeasuresReportCreateRequestExample'),
  RelativeDatesReportCreateRequestExample: create('RelativeDatesReportCreateRequestExample'),
  ListReportResponseExample: (world) => world.recorded('ListReportCreateRequestExample'),
  GroupedReportResponseExample: (world) => world.recorded('GroupedReportCreateRequestExample'),
  ListReportRowsResponseExample: get('/v1/reports/demoengineering/results?page[size]=2'),
  GroupedReportRowsResponseExample: run('GroupedReportCreateRequestExample', 'results'),
  MeasuresReportRowsResponseExample: run('MeasuresReportCreateRequestExample', 'results'),
  GroupedReportCsvResponseExample: run('GroupedReportCreateRequestExample', 'results.csv'),
  NotAcceptableResponseExample: get('/v1/reports/demoheadcount/results', { accept: 'text/csv' }),
  RenameReportUpdateRequestExample: update(
    'RenameReportUpdateRequestExample',
    'ListReportCreateRequestExample',
  ),
  GroupReportUpdateRequestExample: update(
    'GroupReportUpdateRequestExample',
    'TitleOnlyReportCreateRequestExample',
  ),
};
