"""Signs a user in with Authlib. Reads the settings as JSON from its argument, writes the authorization request as the first line,
reads the URL of the response as a line, and writes the claims as JSON."""

import json
import sys
import time

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oidc.core import CodeIDToken

settings = json.loads(sys.argv[1])
issuer = settings["issuer"]


def read(url):
    response = requests.get(url, timeout=60)
    response.raise_for_status()
    return response.json()


metadata = read(issuer + "/.well-known/openid-configuration")
token_endpoint = metadata["token_endpoint"]
client = OAuth2Session(
    settings["clientId"],
    settings["credential"],
    token_endpoint_auth_method=settings["method"],
    redirect_uri=settings["redirectUri"],
    scope=settings["scope"],
    code_challenge_method="S256",
)

def authenticate():
    """Prepares the next assertion. The defaults of the library are RS256 and an hour, and it uses the claims with its jti again."""
    if settings["method"] == "private_key_jwt":
        claims = {"exp": int(time.time()) + 60}
        client.register_client_auth_method(PrivateKeyJWT(token_endpoint, claims=claims, alg="ES256"))


verifier, nonce = generate_token(48), generate_token()
url, state = client.create_authorization_url(
    metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce
)
print(url, flush=True)
callback = sys.stdin.readline().strip()

authenticate()
token = client.fetch_token(
    token_endpoint, authorization_response=callback, state=state, code_verifier=verifier
)


def validate(token, claims_params):
    """Verifies the signature with the published keys, and iss, aud, exp, iat, azp, at_hash and the nonce."""
    claims = jwt.decode(
        token["id_token"],
        JsonWebKey.import_key_set(read(metadata["jwks_uri"])),
        claims_cls=CodeIDToken,
        claims_options={
            "iss": {"essential": True, "value": issuer},
            "aud": {"essential": True, "value": settings["clientId"]},
            "at_hash": {"essential": True},
        },
        claims_params={
            "client_id": settings["clientId"],
            "access_token": token["access_token"],
            **claims_params,
        },
    )
    claims.validate()
    return claims


claims = validate(token, {"nonce": nonce})
authenticate()
refreshed = client.refresh_token(token_endpoint)
user_info = client.get(metadata["userinfo_endpoint"])
user_info.raise_for_status()

json.dump(
    {
        "claims": claims,
        "refreshedClaims": validate(refreshed, {}),
        "userInfo": user_info.json(),
    },
    sys.stdout,
)
