const callback = 'http://localhost:8080/callback';
const signedOut = 'http://localhost:8080/signed-out';

/** Path of the redirect URI of the API console. */
export const consoleCallbackPath = '/console/callback';

/** Client id of the application that the API console uses with the demo data. */
export const demoConsoleClientId = 'democonsole';

/** The application and the user whose credentials the documentation and the startup message use. */
export const demoBackend = {
  accountId: 'demoacme',
  clientId: 'demobackend',
  clientSecret: 'demobackendsecret',
  ownerEmail: 'owner@acme.example',
} as const;

const allScopes = ['reports:read', 'reports:write', 'user:read', 'user:write'];

/** Password of every demo user. */
export const demoPassword = 'correct horse battery staple';

interface DemoUser {
  readonly id: string;
  readonly email: string;
  readonly role: 'owner' | 'admin' | 'member';
  readonly givenName: string;
  readonly familyName: string;
}

interface DemoApplication {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
  /** A path belongs to this server. */
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
}

export interface DemoAccount {
  readonly id: string;
  readonly name: string;
  readonly employeePrefix: string;
  readonly emailDomain: string;
  readonly employeeCount: number;
  /** The first one is the owner. */
  readonly users: readonly DemoUser[];
  readonly applications: readonly DemoApplication[];
}

/** The demo accounts. All values are constant, so that the commands in the documentation work unchanged. */
export const demoAccounts: readonly DemoAccount[] = [
  {
    id: demoBackend.accountId,
    name: 'Acme',
    employeePrefix: 'acmedemo',
    emailDomain: 'acme.example',
    employeeCount: 137,
    users: [
      user('demoacmeowner', demoBackend.ownerEmail, 'owner', 'Olivia', 'Okafor'),
      user('demoacmeadmin', 'admin@acme.example', 'admin', 'Andrés', 'Alvarado'),
      user('demoacmemember', 'member@acme.example', 'member', 'Mei', 'Matsuda'),
    ],
    applications: [
      {
        ...application(demoBackend.clientId, 'Acme Backend', allScopes),
        clientSecret: demoBackend.clientSecret,
      },
      {
        ...application('demoreadonly', 'Acme Read Only', ['reports:read']),
        clientSecret: 'demoreadonlysecret',
      },
      application('demospa', 'Acme Single-Page App', allScopes),
      {
        ...application(demoConsoleClientId, 'API console', allScopes),
        redirectUris: [consoleCallbackPath],
        postLogoutRedirectUris: [],
      },
    ],
  },
  {
    id: 'demoglobex',
    name: 'Globex',
    employeePrefix: 'globexde',
    emailDomain: 'globex.example',
    employeeCount: 12,
    users: [user('demoglobexowner', 'owner@globex.example', 'owner', 'Greta', 'Gustafsson')],
    applications: [
      {
        ...application('globexbackend', 'Globex Backend', allScopes),
        clientSecret: 'globexbackendsecret',
      },
    ],
  },
];

function user(
  id: string,
  email: string,
  role: DemoUser['role'],
  givenName: string,
  familyName: string,
): DemoUser {
  return { id, email, role, givenName, familyName };
}

function application(clientId: string, name: string, scopes: readonly string[]): DemoApplication {
  return {
    id: `app${clientId}`,
    name,
    clientId,
    scopes,
    redirectUris: [callback],
    postLogoutRedirectUris: [signedOut],
  };
}
