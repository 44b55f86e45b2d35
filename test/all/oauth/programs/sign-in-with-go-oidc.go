// Signs a user in with go-oidc. Reads the settings as JSON from its argument, writes the authorization request as the first line,
// reads the URL of the response as a line, and writes the claims as JSON.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/url"
	"os"
	"strings"

	oidc "github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

type settings struct {
	Issuer, ClientID, Credential, RedirectURI, Scope string
}

type claims map[string]interface{}

func main() {
	if err := signIn(); err != nil {
		log.Fatal(err)
	}
}

func signIn() error {
	ctx := context.Background()
	var given settings
	if err := json.Unmarshal([]byte(os.Args[1]), &given); err != nil {
		return err
	}
	provider, err := oidc.NewProvider(ctx, given.Issuer)
	if err != nil {
		return err
	}
	var metadata struct {
		Algorithms []string `json:"id_token_signing_alg_values_supported"`
	}
	if err := provider.Claims(&metadata); err != nil {
		return err
	}
	config := oauth2.Config{
		ClientID:     given.ClientID,
		ClientSecret: given.Credential,
		Endpoint:     provider.Endpoint(),
		RedirectURL:  given.RedirectURI,
		Scopes:       strings.Split(given.Scope, " "),
	}
	// The default algorithm of this version is RS256.
	verifier := provider.Verifier(&oidc.Config{ClientID: given.ClientID, SupportedSigningAlgs: metadata.Algorithms})

	state, nonce, codeVerifier := random(), random(), random()
	hash := sha256.Sum256([]byte(codeVerifier))
	fmt.Println(config.AuthCodeURL(
		state,
		oidc.Nonce(nonce),
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(hash[:])),
		oauth2.SetAuthURLParam("code_challenge_method", "S256"),
	))
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return err
	}
	callback, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		return err
	}
	response := callback.Query()
	if response.Get("state") != state {
		return errors.New("the response is to another request")
	}
	tokens, err := config.Exchange(ctx, response.Get("code"), oauth2.SetAuthURLParam("code_verifier", codeVerifier))
	if err != nil {
		return err
	}
	text, ok := tokens.Extra("id_token").(string)
	if !ok {
		return errors.New("the token response has no id_token")
	}
	idToken, err := verifier.Verify(ctx, text)
	if err != nil {
		return err
	}
	if idToken.Nonce != nonce {
		return errors.New("the nonce is of another request")
	}
	if err := idToken.VerifyAccessToken(tokens.AccessToken); err != nil {
		return err
	}
	userInfo, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return err
	}
	var outcome struct {
		Claims   claims `json:"claims"`
		UserInfo claims `json:"userInfo"`
	}
	if err := idToken.Claims(&outcome.Claims); err != nil {
		return err
	}
	if err := userInfo.Claims(&outcome.UserInfo); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(outcome)
}

func random() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}
