// Shows the document of this server. A token that is given under "Authorize" stays in this page and is forgotten with it.

// The viewer takes many times as long for a document of OpenAPI 3.1 as for one of 3.0. What it shows can be said in either, but for a few words.
function inOlderWords(part) {
  if (Array.isArray(part)) return part.map(inOlderWords)
  if (part === null || typeof part !== 'object') return part
  const said = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, inOlderWords(value)]))
  if (Array.isArray(said.type)) {
    const [type, ...others] = said.type.filter((name) => name !== 'null')
    said.nullable = said.type.includes('null')
    if (others.length > 0) delete said.type
    else said.type = type
  }
  if (typeof said.const === 'string') {
    said.enum = [said.const]
    delete said.const
  }
  // What is said of a parameter stands in its schema, where the viewer does not look.
  if (said.in && said.schema?.description) said.description ??= said.schema.description
  return said
}

async function show() {
  const answer = await fetch('/v1/openapi.json')
  if (!answer.ok) throw new Error(`the answer was ${answer.status}`)
  const spec = inOlderWords(await answer.json())
  spec.openapi = '3.0.4'
  SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    deepLinking: true,
    filter: true,
    displayRequestDuration: true,
    persistAuthorization: false,
    validatorUrl: null,
    // The one version that there is need not be typed each time.
    requestInterceptor: (request) => {
      if (request.url.includes('/v1/') && !request.headers.Version) request.headers.Version = 'v1'
      return request
    },
  })
}

show().catch((reason) => {
  document.querySelector('#reference').textContent = `The description of this server could not be read: ${reason.message}`
})
