import { recordMembers } from '../../src/features/employees/employee-check.js';
import { rememberColumns, suggestAttributes } from '../../src/features/imports/uploads/column-names.js';
import { check, chosenOn, startUpload } from '../support/browser/import-pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

const expected = [
  'employee_number',
  'first_name',
  'last_name',
  'email',
  'status',
  'department',
  'job_title',
  'location',
  'hire_date',
  'termination_date',
];

t.test('columns with names in seven languages are assigned', async (t) => {
  for (const header of [
    'Employee ID|First Name|Surname|E-mail address|Employment status|Dept.|Title|Office|Start date|End date',
    'Personal-Nr.|Vorname|Nachname|E-Mail-Adresse|Status|Abteilung|Funktion|Standort|Eintrittsdatum|Austrittsdatum',
    'Matricule|Prénom|Nom|Courriel|Statut|Département|Poste|Lieu de travail|Date d’embauche|Date de sortie',
    'Número de empleado|Nombre|Apellidos|Correo electrónico|Estado|Área|Puesto|Ubicación|Fecha de ingreso|Fecha de baja',
    'Personeelsnummer|Voornaam|Achternaam|E-mailadres|Dienstverband|Afdeling|Functie|Vestiging|Datum in dienst|Datum uit dienst',
    'Matricola|Nome|Cognome|Indirizzo e-mail|Stato|Reparto|Mansione|Località|Data di assunzione|Data cessazione',
    'Número de funcionário|Nome|Apelido|Correio eletrónico|Situação|Setor|Função|Local|Data de admissão|Data de saída',
  ])
    t.same(suggestAttributes(header.split('|'), recordMembers), expected, header);
});

t.test('each attribute of the contract is suggested by its name and by its label', async (t) => {
  // A column “Manager” has numbers more often than ids.
  for (const { name, label } of recordMembers)
    for (const column of name === 'manager_id' ? [name] : [name, label, ` ${label.toUpperCase()} `])
      t.same(suggestAttributes([column], recordMembers), [name], column);
});

t.test('what was chosen last has precedence, and a column that was ignored stays ignored', async (t) => {
  const columns = ['Vorname', 'Name', 'E-Mail', 'X', 'X'];
  const remembered = rememberColumns(columns, ['last_name', '', 'email', 'department', '']);
  t.same(suggestAttributes(columns, recordMembers, remembered), ['last_name', '', 'email', 'department', '']);
  t.same(suggestAttributes(['NAME', 'first_name', 'x'], recordMembers, remembered), [
    '',
    'first_name',
    'department',
  ]);
  const unusable = rememberColumns(
    ['', '!', '山'.repeat(200), '__proto__'],
    ['email', 'email', 'email', 'status'],
  );
  t.same(unusable, { proto: 'status' });
  t.same(suggestAttributes(['first_name'], recordMembers, { firstname: 'removed' }), ['first_name']);
});

t.test('the columns of the last import of an account are suggested for the next one', async (t) => {
  const { user } = await createScene(api.database);
  const browser = await signedInBrowser(api, user);
  const text = 'a;b;c;d;e;f;First name\nE1;Ada;L;a@x.example;active;S;x\n';
  const chosen = {
    column_0: 'employee_number',
    column_1: 'first_name',
    column_2: 'last_name',
    column_3: 'email',
    column_4: 'status',
    column_5: 'department',
    column_6: '',
  };
  const first = await startUpload(browser, text);
  t.match(chosenOn(await browser.open(first)), { column_0: '', column_6: 'first_name' });
  await check(api, browser, first, chosen);
  t.same(chosenOn(await browser.open(await startUpload(browser, text))), chosen);
  const other = await signedInBrowser(api, (await createScene(api.database)).user);
  t.match(
    chosenOn(await other.open(await startUpload(other, text))),
    { column_0: '' },
    'other accounts do not see it',
  );
});
