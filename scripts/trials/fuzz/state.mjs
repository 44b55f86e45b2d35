const maximumTokens = 200;

/** What the server issued to the fuzz, for later requests to use, and how often it said yes. */
export class State {
  /** Ids of reports that were made, and of those that were deleted again. */
  made = new Set();
  deleted = new Set();
  profileChanges = 0;
  #tokens = [];
  #markers = [];

  constructor({ account, employeeIds, bearers, codeChallenge }) {
    Object.assign(this, { account, employeeIds, bearers, codeChallenge });
  }

  idFor(name, random) {
    const known = name === 'report_id' ? [...this.made].slice(-20) : this.employeeIds;
    return known.length === 0 || random.chance(0.2) ? random.text(26) : random.pick(known);
  }

  parameterFor(operation, name, random) {
    if (name === 'page[after]' && this.#markers.length > 0 && random.chance(0.7))
      return random.pick(this.#markers);
    if (operation !== 'authorize' || random.chance(0.1)) return undefined;
    const { clientId, redirectUri } = this.account.application;
    return {
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: 'reports:read',
      code_challenge: this.codeChallenge,
    }[name];
  }

  headerFor(name, random) {
    if (name.toLowerCase() === 'idempotency-key') return `key ${random.upTo(200)}`;
    return random.pick(['*', '"1"', '"2"', '"7"', 'W/"1"', '"1", "2"']);
  }

  /** A token that may be spent. */
  takeToken(random) {
    return this.#tokens.length === 0 ? undefined : random.pick(this.#tokens);
  }

  /** Learns from a request that was carried out. */
  learn({ id }, answer) {
    const { status, body } = answer;
    if (status >= 300) return;
    const text = body.toString('utf8');
    if (id === 'createReport' && status === 201) this.made.add(JSON.parse(text).data.id);
    if (id === 'createToken') this.#keepTokens(JSON.parse(text));
    if (id === 'updateCurrentUser') this.profileChanges += 1;
    const marker = /page%5Bafter%5D=([\w-]+)/.exec(text)?.[1];
    if (marker !== undefined && this.#markers.length < 500) this.#markers.push(marker);
  }

  keepToken(token) {
    this.#tokens.push(token);
  }

  #keepTokens({ access_token: accessToken, refresh_token: refreshToken }) {
    if (this.#tokens.length < maximumTokens) this.#tokens.push(accessToken);
    if (refreshToken !== undefined) this.#tokens.push(refreshToken);
  }
}
