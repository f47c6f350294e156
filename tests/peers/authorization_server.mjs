// A real OpenID provider for `test_oidc_provider`: its own login and consent pages, PKCE, resource indicators, rotation.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const { POCO_CALLBACK, POCO_RESOURCE, POCO_CLIENT_SECRET } = process.env;
const flow = { redirect_uris: [POCO_CALLBACK], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] };
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'basic', client_secret: POCO_CLIENT_SECRET, token_endpoint_auth_method: 'client_secret_basic', ...flow },
      { client_id: 'post', client_secret: POCO_CLIENT_SECRET, token_endpoint_auth_method: 'client_secret_post', ...flow },
      { client_id: 'public', token_endpoint_auth_method: 'none', ...flow },
    ],
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access', 'records.read', 'records.write'],
    rotateRefreshToken: () => true,
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => {
          if (resource !== POCO_RESOURCE) throw new Error(`unknown resource ${resource}`);
          return { scope: 'records.read records.write', audience: resource, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } };
        },
      },
    },
  });
  server.on('request', provider.callback());
  console.log(`ready ${issuer}`);
});
