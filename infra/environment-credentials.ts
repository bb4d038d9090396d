import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Stands in for `@aws-sdk/credential-provider-node` in the bundles: Lambda gives a function's credentials by three
 * environment variables, and the chain's other members (profiles, SSO, containers, web identities, EC2) are a fifth of the code.
 */
export const defaultProvider = fromEnv;
