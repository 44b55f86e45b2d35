/** An access token of the account's owner. */
export async function ownerToken(world) {
  const { body } = await world.recorded('AuthorizationCodeTokenRequestExample');
  return body.access_token;
}

const update = (name) => async (world) =>
  world.send('/v1/users/me', {
    method: 'PATCH',
    json: world.example(name),
    token: await ownerToken(world),
  });

/** The signed-in user. */
export const users = {
  UserResponseExample: async (world) => world.send('/v1/users/me', { token: await ownerToken(world) }),
  NamesUserUpdateRequestExample: update('NamesUserUpdateRequestExample'),
  ClearPictureUserUpdateRequestExample: update('ClearPictureUserUpdateRequestExample'),
};
