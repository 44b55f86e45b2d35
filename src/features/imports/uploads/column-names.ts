import type { RecordMember } from '../../employees/index.js';
import { customColumns, isCustom, simplify } from '../custom-columns.js';

/**
 * Other names of attributes in files, without spaces, punctuation and accents: in English, German, French, Spanish, Dutch,
 * Italian and Portuguese. The name and the label of an attribute need no entry.
 */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  employee_number: [
    'employeeno employeeid number personnelnumber personnelno staffnumber staffid',
    'personalnummer personalnr persnr mitarbeiternummer mitarbeiternr mitarbeiterid stammnummer',
    'matricule nemploye numeroemploye numerodemploye numerodematricule idemploye',
    'numeroempleado numerodeempleado numdeempleado noempleado nempleado idempleado legajo',
    'personeelsnummer personeelsnr medewerkernummer medewerkersnummer werknemersnummer',
    'matricola numeromatricola numerodipendente codicedipendente iddipendente',
    'numerofuncionario numerodefuncionario numerodocolaborador numerocolaborador numeromecanografico',
  ],
  first_name: [
    'givenname forename',
    'vorname rufname',
    'prenom prenoms',
    'nombre nombres',
    'voornaam roepnaam',
    'nome',
    'primeironome nomeproprio',
  ],
  last_name: [
    'surname familyname',
    'nachname familienname zuname name',
    'nom nomdefamille',
    'apellido apellidos primerapellido',
    'achternaam familienaam',
    'cognome',
    'apelido apelidos sobrenome ultimonome',
  ],
  email: [
    'emailaddress mail workemail businessemail',
    'emailadresse mailadresse dienstlicheemail geschaftlicheemail',
    'courriel adresseemail adressemail adresseelectronique',
    'correo correoelectronico',
    'emailadres mailadres',
    'indirizzoemail postaelettronica',
    'correioeletronico enderecodeemail',
  ],
  status: [
    'employmentstatus state',
    'beschaftigungsstatus mitarbeiterstatus anstellungsstatus',
    'statut etat',
    'estado estatus situacion',
    'dienstverband',
    'stato',
    'situacao',
  ],
  department: [
    'dept departmentname team',
    'abteilung bereich fachbereich',
    'departement service direction',
    'departamento area seccion',
    'afdeling',
    'reparto dipartimento',
    'setor',
  ],
  job_title: [
    'title position jobposition',
    'stelle stellenbezeichnung funktion jobtitel berufsbezeichnung tatigkeit',
    'poste fonction intituleduposte emploi',
    'puesto puestodetrabajo cargo',
    'functie functietitel',
    'mansione ruolo qualifica',
    'funcao',
  ],
  location: [
    'office site worklocation',
    'standort arbeitsort dienstort ort',
    'lieu lieudetravail ville etablissement',
    'ubicacion lugar centrodetrabajo ciudad sede',
    'locatie vestiging standplaats werklocatie',
    'luogodilavoro localita',
    'local localdetrabalho localizacao',
  ],
  hire_date: [
    'startdate dateofhire hired hiredon',
    'eintrittsdatum eintritt einstellungsdatum eingestelltam',
    'datedembauche dateembauche datedentree dateentree',
    'fechadeingreso fechaingreso fechadealta fechaalta fechadecontratacion',
    'datumindienst indienst indiensttreding datumindiensttreding',
    'datadiassunzione dataassunzione',
    'datadeadmissao dataadmissao datadecontratacao',
  ],
  termination_date: [
    'enddate leavingdate terminated lastday',
    'austrittsdatum austritt ausgetretenam vertragsende',
    'datedesortie datesortie datededepart',
    'fechadebaja fechabaja fechadesalida',
    'datumuitdienst uitdienst uitdiensttreding',
    'datadicessazione datacessazione datadiuscita',
    'datadesaida datadedemissao datadedesligamento',
  ],
  manager_employee_number: [
    'manager managernumber manageremployeeno managerid supervisor',
    'vorgesetzter vorgesetzte fuhrungskraft personalnummervorgesetzter',
    'responsable superieur matriculeresponsable',
    'jefe numerodejefe',
    'leidinggevende',
    'responsabile matricolaresponsabile',
    'gestor chefia',
  ],
};

/** The attributes of the columns of an earlier import, by their folded names. An empty attribute: the column was ignored. */
export type RememberedColumns = Readonly<Record<string, string>>;

/** What the next import needs to know. Of columns with the same name, the first one that has an attribute counts. */
export function rememberColumns(columns: readonly string[], assigned: readonly string[]): RememberedColumns {
  const remembered = new Map<string, string>();
  for (const [index, column] of columns.entries()) {
    const name = simplify(column);
    if (name !== '' && !remembered.get(name)) remembered.set(name, assigned[index] ?? '');
  }
  return Object.fromEntries(remembered);
}

/**
 * Suggests an attribute for each column by its name. What the account chose last has precedence over an exact name, that over
 * a similar one, and an earlier column over a later one. Of similar names, the names and labels of the contract have precedence
 * over custom attributes, and those over other names.
 *
 * @returns names of attributes, each at most once; empty for a column that is ignored
 */
export function suggestAttributes(
  columns: readonly string[],
  attributes: readonly RecordMember[],
  remembered: RememberedColumns = {},
): string[] {
  const known = new Map<string, string>();
  for (const { name, label } of attributes.filter((attribute) => !isCustom(attribute))) {
    for (const other of [name, label, ...(synonyms[name] ?? []).flatMap((names) => names.split(' '))])
      known.set(simplify(other), name);
  }
  for (const [column, name] of customColumns(attributes)) known.set(column, name);
  const suggested = columns.map(() => '');
  const taken = new Set<string>();
  const suggest = (find: (column: string) => string | undefined) => {
    for (const [index, column] of columns.entries()) {
      const name = find(column);
      if (name === undefined || suggested[index] !== '' || taken.has(name)) continue;
      suggested[index] = name;
      taken.add(name);
    }
  };
  const chosen = new Map(Object.entries(remembered));
  const chosenFor = (column: string) => chosen.get(simplify(column));
  suggest((column) => attributes.find(({ name }) => name === chosenFor(column))?.name);
  suggest(
    (column) => attributes.find(({ name }) => name === column.trim() && chosenFor(column) !== '')?.name,
  );
  suggest((column) => (chosenFor(column) === '' ? undefined : known.get(simplify(column))));
  return suggested;
}
