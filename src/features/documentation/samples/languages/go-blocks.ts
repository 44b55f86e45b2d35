/** Ends the program if a call failed. */
export const check = `if err != nil {
	log.Fatal(err)
}
`;

/** Ends the program with the detail of the problem. */
export const rejection = `if response.StatusCode >= 400 {
	var problem struct{ Detail string }
	json.NewDecoder(response.Body).Decode(&problem)
	log.Fatal(problem.Detail)
}
`;

/** The verifier of PKCE and its challenge. */
export const challenge = `// Keep the verifier: the token request needs it.
secret := make([]byte, 32)
if _, err := rand.Read(secret); err != nil {
	log.Fatal(err)
}
codeVerifier := base64.RawURLEncoding.EncodeToString(secret)
digest := sha256.Sum256([]byte(codeVerifier))
codeChallenge := base64.RawURLEncoding.EncodeToString(digest[:])
`;

/** A unique value. */
export const random = {
  source: `random := make([]byte, 16)
if _, err := rand.Read(random); err != nil {
	log.Fatal(err)
}
`,
  imports: ['crypto/rand', 'log'],
};

/** A page of a list. */
export const pageType = `var page struct {
	Data  []json.RawMessage
	Links struct{ Next string }
}
`;

/** A page of a feed. */
export const feedPageType = `var page struct {
	Data  []json.RawMessage
	Links struct{ Next string }
	Meta  struct {
		HasMore bool \`json:"has_more"\`
	}
}
`;

/** Prints the records of a page. */
export const printPage = `for _, record := range page.Data {
	fmt.Println(string(record))
}
`;

/** Prints the body, and detects an interruption. */
export const printBody = `if _, err := io.Copy(os.Stdout, response.Body); err != nil {
	log.Fatal(err)
}
`;
