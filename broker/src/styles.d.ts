/** Stylesheets are taken up by the bundler, which links one file to each page that imports them. */
declare module '*.css' {}
