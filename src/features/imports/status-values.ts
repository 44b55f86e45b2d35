import { foldText } from '../../platform/contract/outside-text.js';
import { knownStatuses } from '../employees/index.js';

/** Other names of the known statuses, in the languages of column names. */
const statusNames: Readonly<Record<(typeof knownStatuses)[number], readonly string[]>> = {
  active: [
    'employed current',
    'aktiv beschaftigt angestellt',
    'actif active enposte',
    'activo activa dealta',
    'actief indienst',
    'attivo attiva',
    'ativo ativa',
  ],
  on_leave: [
    'leave absent leaveofabsence onleaveofabsence unpaidleave onunpaidleave sickleave onsickleave',
    'parentalleave onparentalleave maternityleave onmaternityleave paternityleave onpaternityleave',
    'familyleave onfamilyleave',
    'beurlaubt elternzeit inelternzeit mutterschutz immutterschutz mutterschaftsurlaub vaterschaftsurlaub',
    'pflegezeit inpflegezeit sonderurlaub unbezahlterurlaub freigestellt',
    'conge enconge congeparental encongeparental congematernite encongematernite congedematernite',
    'encongedematernite congepaternite encongepaternite congedepaternite encongedepaternite',
    'congesanssolde encongesanssolde arretmaladie enarretmaladie',
    'permiso depermiso excedencia enexcedencia permisoparental depermisoparental permisodematernidad',
    'permisodepaternidad bajamaternal bajapaternal bajapormaternidad bajaporpaternidad',
    'verlof metverlof opverlof ouderschapsverlof metouderschapsverlof opouderschapsverlof',
    'zwangerschapsverlof metzwangerschapsverlof opzwangerschapsverlof bevallingsverlof geboorteverlof',
    'congedo incongedo aspettativa inaspettativa congedoparentale incongedoparentale maternita inmaternita',
    'congedomaternita congedodimaternita congedopaternita congedodipaternita',
    'licenca delicenca emlicenca licencaparental emlicencaparental licencamaternidade',
    'licencadematernidade emlicencamaternidade licencapaternidade licencadepaternidade afastado afastada',
  ],
  inactive: [
    'dormant',
    'inaktiv ruhend',
    'inactif',
    'inactivo inactiva',
    'inactief',
    'inattivo inattiva',
    'inativo',
  ],
  terminated: [
    'left leaver former',
    'ausgetreten ausgeschieden gekundigt',
    'sorti sortie parti',
    'debaja baja cesado',
    'uitdienst vertrokken',
    'cessato cessata licenziato',
    'desligado demitido',
  ],
};

const byName: ReadonlyMap<string, string> = new Map(
  Object.entries(statusNames).flatMap(([status, names]) =>
    [status, ...names.flatMap((text) => text.split(' '))].map((name) => [fold(name), status] as const),
  ),
);

/** The status that a value of a file names; `undefined` for another one, which is kept. */
export function suggestStatus(value: string): string | undefined {
  return byName.get(fold(value));
}

function fold(text: string): string {
  return foldText(text, 100);
}

/** The values of a status column, without those that are known statuses, in upper or lower case. */
export function valuesToMap(values: readonly string[]): string[] {
  return values.filter((value) => !knownStatuses.some((status) => status === value.toLowerCase()));
}

/** The suggested status of each value of a column. */
export function suggestStatuses(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    valuesToMap(values).flatMap((value) => {
      const status = suggestStatus(value);
      return status === undefined ? [] : [[value, status]];
    }),
  );
}
